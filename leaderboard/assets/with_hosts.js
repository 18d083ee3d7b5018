const withHosts = (address) => {
  const url = new URL(address, location.href);
  for (const [name, value] of new URLSearchParams(location.search)) {
    if (name.startsWith('__') && !url.searchParams.has(name)) url.searchParams.append(name, value);
  }
  return url;
};
