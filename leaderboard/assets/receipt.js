element.addEventListener('click', async (event) => {
  if (!event.target.closest('button[data-copy]')) return;
  const facts = [...element.querySelectorAll('.facts > div')];
  const lines = facts.map((fact) => [...fact.children].map((part) => part.textContent).join(': '));
  lines.push(`Link: ${element.querySelector('a').href}`);
  for (const item of element.querySelectorAll('li')) lines.push(`Normalised: ${item.textContent}`);
  const said = element.querySelector('.receipt-acts [role=status]');
  try {
    await navigator.clipboard.writeText(lines.join('\n'));
    said.textContent = 'Copied.';
  } catch {
    window.getSelection().selectAllChildren(element.querySelector('.receipt'));
    said.textContent = 'Selected: press Ctrl+C or Cmd+C.';
  }
});
