const copy = async (part) => {
  const text = part.querySelector('pre');
  const said = part.querySelector('[role=status]');
  try {
    await navigator.clipboard.writeText(text.textContent);
    said.textContent = 'Copied.';
  } catch {
    window.getSelection().selectAllChildren(text);
    said.textContent = 'Selected: press Ctrl+C or Cmd+C.';
  }
};
