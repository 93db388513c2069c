// Where the workbench is, from the folder of the documentation: null, since it is not around this copy of it. The server of the
// workbench and an exported site have their own file in place of this one.
globalThis.workbench = null;
