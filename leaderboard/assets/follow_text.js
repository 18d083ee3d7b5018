// What is being written stays in sight, unless somebody scrolled up to read.
watch('value', () => element.querySelectorAll('.lab-pane.writing .lab-text').forEach((text) => {
  if (text.scrollHeight - text.scrollTop - text.clientHeight < 90) text.scrollTop = text.scrollHeight;
}));
