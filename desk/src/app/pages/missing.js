// The page for an unknown address.

import { html } from "lit";

export function missing(_shell, what, to = "#/") {
  return {
    title: "Not found",
    view: () => html`<h1 tabindex="-1">This ${what} does not exist</h1>
      <p>The address may be misspelt, or the page may be in another bank of problems.</p>
      <p><a class="button primary" href=${to}>${to === "#/" ? "Home" : "The chapter's contents"}</a></p>`,
  };
}
