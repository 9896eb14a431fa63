// biome-ignore lint/style/noDefaultExport: Next reads it. Continuo is loaded as it is installed, here by a link to another folder.
export default { serverExternalPackages: ["continuo"], turbopack: { root: "/" } };
