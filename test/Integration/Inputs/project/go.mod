module hello

go 1.19
