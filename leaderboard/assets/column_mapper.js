element.addEventListener('click', (event) => {
  if (!event.target.closest('button[data-choose]')) return;
  const chosen = [...element.querySelectorAll('select')].map((one) => [one.dataset.field, one.value]);
  trigger('chosen', {columns: Object.fromEntries(chosen)});
});
