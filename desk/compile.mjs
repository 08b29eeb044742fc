// Compiles the modules of an archive to the bytecode of Pyodide's Python: `node compile.mjs IN.zip OUT.zip LEVEL`, where
// LEVEL is that of Python's -O. Compiling them in the
// browser would take half of the time until the first verdict, and nine tenths of importing sympy.

import { readFileSync, writeFileSync } from "node:fs";
import { loadPyodide } from "pyodide";

const COMPILE = `
from importlib._bootstrap_external import _code_to_hash_pyc
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

with ZipFile("/in.zip") as sources, ZipFile("/out.zip", "w") as out:
    for name in sources.namelist():
        data = sources.read(name)
        if name.endswith(".py"):
            code = compile(data, name, "exec", dont_inherit=True, optimize=LEVEL)
            name, data = f"{name}c", _code_to_hash_pyc(code, bytes(8), False)
        out.writestr(ZipInfo(name), data, ZIP_DEFLATED, 9)
`;

const [source, out, level] = process.argv.slice(2);
const python = await loadPyodide({ env: { PYTHONHASHSEED: "0" } }); // the same bytecode each time
python.FS.writeFile("/in.zip", new Uint8Array(readFileSync(source)));
python.runPython(`LEVEL = ${level}\n${COMPILE}`);
writeFileSync(out, python.FS.readFile("/out.zip"));
