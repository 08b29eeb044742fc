// Ways between the forms of one page, such as a chapter's notebook.

const HEADING = ":is(h1, h2, h3)";

/** Return the form of a problem on this page, other than `besides`. */
export function formOf(id, besides) {
  return [...document.querySelectorAll(".shardwise")].find(
    (form) => form !== besides && form.given?.question?.id === id && !form.given.walk,
  );
}

/** Scroll to a form and move the focus to its title; to the section of the lesson that precedes it if `from` is before that. */
export function goTo(form, from) {
  const heading = from && sectionBetween(from, form);
  const target = heading ?? form;
  const title = heading ?? form.renderRoot.querySelector("h3");
  if (heading) heading.tabIndex = -1;
  target.scrollIntoView({ block: "start" });
  title.focus({ preventScroll: true });
}

/** Return the first heading in the notebook's text between two forms. */
function sectionBetween(from, to) {
  const [first, last] = [from, to].map((form) => form.closest(".jp-Cell"));
  for (let cell = first?.nextElementSibling; cell && cell !== last; cell = cell.nextElementSibling) {
    const heading = cell.matches(".jp-MarkdownCell") && cell.querySelector(`.jp-RenderedMarkdown ${HEADING}`);
    if (heading) return heading;
  }
  return undefined;
}
