element.addEventListener('click', (event) => {
  const link = event.target.closest('a[href]');
  if (event.target.closest('[data-save]')) trigger('save', {});
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  trigger('open', {place: Object.fromEntries(new URL(link.href).searchParams)});
});
