// The search field of the header: the app looks up what is typed, and `/` leads to the field, as in the app.

const form = document.querySelector("form[role=search]");
const { q } = form.elements;

form.addEventListener("submit", (event) => {
  event.preventDefault();
  location.href = `${form.action}#/search?q=${encodeURIComponent(q.value.trim())}`;
});
addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.target.matches("input") || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  q.focus();
});
