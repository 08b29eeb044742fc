// Words typed into a page of the book are looked up by the app, whose search has its entries too.
document.querySelector("form[role=search]").addEventListener("submit", (event) => {
  event.preventDefault();
  const form = event.currentTarget;
  location.href = `${form.action}#/search?q=${encodeURIComponent(form.elements.q.value)}`;
});
