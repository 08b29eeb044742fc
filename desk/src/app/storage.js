/** Return the browser's storage of this name, or the page's memory where the browser refuses it, such as in a preview of a file. */
export function storage(name) {
  try {
    return window[name];
  } catch {
    const held = new Map();
    return {
      getItem: (key) => held.get(key) ?? null,
      setItem: (key, value) => held.set(key, value),
      removeItem: (key) => held.delete(key),
    };
  }
}
