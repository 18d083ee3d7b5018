const printPage = (page) => {
  document.getElementById('printed-page')?.remove();
  const frame = document.createElement('iframe');
  frame.id = 'printed-page';
  frame.setAttribute('sandbox', 'allow-same-origin allow-modals');  // no scripts
  frame.setAttribute('aria-hidden', 'true');
  frame.tabIndex = -1;
  frame.style.cssText = 'position:fixed;bottom:0;left:0;width:0;height:0;border:0';
  frame.onload = () => { frame.contentWindow.focus(); frame.contentWindow.print(); };
  frame.srcdoc = page;
  document.body.append(frame);
};
