() => {
  let name = '';
  try {
    const made = () => Array.from(crypto.getRandomValues(new Uint32Array(5)), (part) => part.toString(36)).join('-');
    name = sessionStorage.getItem('plumbline-tab') || made();
    sessionStorage.setItem('plumbline-tab', name);
  } catch { /* a browser that keeps nothing */ }
  return [document.body.classList.contains('dark'), name];
}
