@echo off
rem Puts files, and all files in folders, out of memory, without RAMMap and without
rem an administrator: a file goes unless somebody has it open.
rem
rem     utils\cold-cache\windows-evict.cmd PATH...
rem
rem HEADSTART_PROGRAM names headstart.exe where it is not on PATH.
setlocal
if "%~1"=="" (
  echo usage: %~nx0 PATH... 1>&2
  exit /b 2
)
if "%HEADSTART_PROGRAM%"=="" set HEADSTART_PROGRAM=headstart.exe
call "%HEADSTART_PROGRAM%" evict %* >nul
if errorlevel 1 exit /b 1
rem See windows.cmd.
ping -n 6 127.0.0.1 >nul
exit /b 0
