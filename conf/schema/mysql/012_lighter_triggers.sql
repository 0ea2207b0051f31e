-- Only SQLite's triggers change. All databases have the same steps, because an export says which it is of.
DO 0;
