"""The machinery of operator rows: schema, row, families, assembler, exposure."""
