# Measures a link of yours, cold and warm, by stock lld and by Headstart, in turn:
#
#     utils\cold-cache\measure.ps1 lld-link.exe '@app.rsp'
#
# As measure.cmd, with windows.ps1 before each cold link.
param(
    [Parameter(Mandatory, ValueFromRemainingArguments)][string[]]$Link,
    [string]$Headstart = $(if ($env:HEADSTART_PROGRAM) { $env:HEADSTART_PROGRAM } else { 'headstart.exe' })
)
$ErrorActionPreference = 'Stop'
# Where there are no spaces it needs no quotes, which PowerShell 5 would not hand on.
$script = (New-Object -ComObject Scripting.FileSystemObject).GetFile("$PSScriptRoot\windows.ps1").ShortPath
$options = @()
if ($env:HEADSTART_BENCH) { $options = $env:HEADSTART_BENCH -split ' ' }
& $Headstart bench "--prepare=powershell -NoProfile -ExecutionPolicy Bypass -File $script" --csv=headstart-bench.csv --json=headstart-bench.json --html=headstart-bench.html @options -- @Link
exit $LASTEXITCODE
