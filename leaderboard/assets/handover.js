let used = '';
element.addEventListener('click', (event) => {
  const button = event.target.closest('button');
  if (!button) return;
  if (button.dataset.copy) return copy(button.closest('div'));
  used = button.id;
  trigger('wanted', {kind: button.dataset.kind, address: new URL('./', document.baseURI).href});
});
watch('value', () => {
  if (props.value?.file) save(props.value.file);
  // What was pressed may have been drawn anew: whoever uses the keyboard goes on from there.
  if (used && document.activeElement === document.body) document.getElementById(used)?.focus();
  used = '';
});
