@echo off
rem Measures a link of yours, cold and warm, by stock lld and by Headstart, in turn:
rem
rem     utils\cold-cache\measure.cmd lld-link.exe @app.rsp
rem
rem Before each cold link windows.cmd empties what Windows keeps in memory: it needs an
rem administrator and RAMMap. Writes headstart-bench.csv, .json and .html beside what
rem it prints. HEADSTART_PROGRAM names headstart.exe where it is not on PATH;
rem HEADSTART_BENCH adds options of headstart bench (--rounds=3, --stock=PROGRAM,
rem --variants=stock,on).
setlocal
if "%~1"=="" (
  echo usage: %~nx0 LINKER ARGS... 1>&2
  exit /b 2
)
if "%HEADSTART_PROGRAM%"=="" set HEADSTART_PROGRAM=headstart.exe
"%HEADSTART_PROGRAM%" bench "--prepare=\"%~dp0windows.cmd\"" --csv=headstart-bench.csv --json=headstart-bench.json --html=headstart-bench.html %HEADSTART_BENCH% -- %*
exit /b %errorlevel%
