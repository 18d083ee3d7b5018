// Drawing anew would close the section: whether it is open is the reader's choice.
let isOpen = false;
element.addEventListener('click', (event) => {
  if (event.target.closest('summary')) isOpen = !element.querySelector('details').open;
});
watch('value', () => { element.querySelector('details').open = isOpen; });
