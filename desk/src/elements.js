// The elements of the desk by name, and their tags in the page.

const tags = new Map();

/** Define an element under a fresh tag: a page cannot define a tag twice, and may stay open while a package changes. */
export function define(what, element) {
  const tag = `shardwise-${what}-${Math.random().toString(36).slice(2)}`;
  customElements.define(tag, element);
  tags.set(what, tag);
}

/** Create an element of that name. */
export const create = (what) => document.createElement(tags.get(what));
