element.addEventListener('click', (event) => {
  if (event.target.closest('button[data-print]')) printPage(props.value.files[0].text);
  const button = event.target.closest('button[data-file]');
  if (button) save(props.value.files[Number(button.dataset.file)]);
});
