/** The help about names of sessions, below every command that takes a session. `lookUp` of the catalog does what it says. */

export const ID_HELP = `
ID names a session: its id or the beginning of it, AGENT:ID, continuo:ID for one of Continuo's own, the
path of its file, \`last\` (\`last:AGENT\`), the newest session in \`continuo list\`, or its title (for commands that change
nothing, words of the title are enough). On a terminal you choose among several.`;
