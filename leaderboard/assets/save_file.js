const save = (file) => {
  const anchor = document.createElement('a');
  if (file.address) {
    anchor.href = file.address;
    anchor.download = file.name;
    anchor.click();
    return;
  }
  const content = file.base64 ? Uint8Array.from(atob(file.base64), (sign) => sign.charCodeAt(0)) : file.text;
  anchor.href = URL.createObjectURL(new Blob([content], {type: file.type}));
  anchor.download = file.name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(anchor.href), 10000);
};
