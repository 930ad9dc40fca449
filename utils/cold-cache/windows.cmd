@echo off
rem Empties what Windows keeps in memory: working sets, the system's working set,
rem the modified list, the standby list, and that of priority 0. Needs an
rem administrator, and RAMMap64.exe of Sysinternals on PATH or named by RAMMAP.
rem
rem     hyperfine -p utils\cold-cache\windows.cmd "lld-link @app.rsp"
setlocal
if "%RAMMAP%"=="" set RAMMAP=RAMMap64.exe
set LIST=-Ew
call "%RAMMAP%" -accepteula %LIST%
if errorlevel 1 goto failed
set LIST=-Es
call "%RAMMAP%" -accepteula %LIST%
if errorlevel 1 goto failed
set LIST=-Em
call "%RAMMAP%" -accepteula %LIST%
if errorlevel 1 goto failed
set LIST=-Et
call "%RAMMAP%" -accepteula %LIST%
if errorlevel 1 goto failed
set LIST=-E0
call "%RAMMAP%" -accepteula %LIST%
if errorlevel 1 goto failed
rem The System process works on for some seconds. Not timeout.exe: it refuses to
rem run where the input is no console, as under hyperfine.
ping -n 6 127.0.0.1 >nul
exit /b 0

:failed
echo windows.cmd: "%RAMMAP%" %LIST% failed; is it there, and are you an administrator? 1>&2
exit /b 1
