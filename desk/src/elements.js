// The elements of the desk by name, and the tags that the page knows them by.

const tags = new Map();

/** Give an element to the page, under a new tag: a page cannot define a tag twice, and may stay open while a package changes. */
export function define(what, element) {
  const tag = `shardwise-${what}-${Math.random().toString(36).slice(2)}`;
  customElements.define(tag, element);
  tags.set(what, tag);
}

/** A new element of that name. */
export const create = (what) => document.createElement(tags.get(what));
