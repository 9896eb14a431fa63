// The single executable starts its unpacked files by this one: a module can be imported only by a file.
module.exports = (file) => import(require("node:url").pathToFileURL(file).href);
