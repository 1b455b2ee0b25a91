# pandas 3.1.1, pyarrow 26.0.1, polars 2.1.0, duckdb 2.0.1 (PyPI): whether a missing number of a Parquet file counts depends on who
# wrote it and who reads it.
#
# Input:    the column 1.0, 0.2, NaN, NaN, written by pandas and by pyarrow from the same array
# Expected: a mean of 0.6, and one value above 0.5
# Seen:     pandas writes null, and all agree; pyarrow writes NaN: then DuckDB's and Polars's means are NaN and three values are
#           above 0.5, whereas pandas reads 0.6 and one
. "$(dirname "$0")/temporary.sh"
pypi pandas==3.1.1 pyarrow==26.0.1 polars==2.1.0 duckdb==2.0.1
by_python << 'END'
import duckdb
import numpy
import pandas
import polars
import pyarrow
import pyarrow.parquet

values = numpy.array([1.0, 0.2, numpy.nan, numpy.nan])
pandas.DataFrame({"x": values}).to_parquet("pandas.parquet")
pyarrow.parquet.write_table(pyarrow.table({"x": values}), "pyarrow.parquet")
for writer in ("pandas", "pyarrow"):
    path = f"{writer}.parquet"
    print(f"{writer} wrote, pandas reads:", (x := pandas.read_parquet(path).x).mean(), int((x > 0.5).sum()))
    print(f"{writer} wrote, polars reads:", (y := polars.read_parquet(path)["x"]).mean(), (y > 0.5).sum())
    print(f"{writer} wrote, duckdb reads:", *duckdb.sql(f"select avg(x), count(*) filter (x > 0.5) from '{path}'").fetchall()[0])
END
expect << 'END'
pandas wrote, pandas reads: 0.6 1
pandas wrote, polars reads: 0.6 1
pandas wrote, duckdb reads: 0.6 1
pyarrow wrote, pandas reads: 0.6 1
pyarrow wrote, polars reads: nan 3
pyarrow wrote, duckdb reads: nan 3
END
