/** The flags of `mcp install` and `mcp uninstall`, as commander gives them. */

export interface InstallFlags {
  readonly yes?: true;
  readonly json?: true;
}
