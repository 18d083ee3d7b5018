element.addEventListener('click', (event) => {
  const button = event.target.closest('button[data-show]');
  if (!button) return;
  const row = element.querySelector(`#excerpt-${CSS.escape(button.dataset.show)}`);
  row.hidden = !row.hidden;
  button.setAttribute('aria-expanded', String(!row.hidden));
});
