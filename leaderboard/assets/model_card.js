element.addEventListener('click', (event) => {
  const button = event.target.closest('[data-copy]');
  if (button) copy(button.closest('div'));
});
element.addEventListener('toggle', (event) => {
  if (!event.target.open || props.value?.is_open) return;
  trigger('wanted', {address: new URL('./', document.baseURI).href});
}, true);
