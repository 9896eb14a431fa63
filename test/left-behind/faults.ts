/** Loaded before Continuo: mistakes of its own, made when a signal comes. */

process.on("SIGUSR2", () => {
  throw new Error("a mistake of Continuo's own");
});
process.on("SIGPWR", () => process.exit(9));
