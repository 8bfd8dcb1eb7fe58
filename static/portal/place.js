// What is asked for a page says in which place it was drawn: another tab may have switched since, and what is of one
// place must not come under the name of another. The palette leads to whole pages.
document.addEventListener('htmx:configRequest', ({ detail }) => {
  const { place } = document.body.dataset;
  if (place && !detail.elt.closest('#palette')) detail.headers['Portal-Place'] = place;
});
