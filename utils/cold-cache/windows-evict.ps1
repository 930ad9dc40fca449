# Puts files, and all files in folders, out of memory, without RAMMap and without an
# administrator: a file goes unless somebody has it open.
#
#     utils\cold-cache\windows-evict.ps1 PATH...
param(
    [Parameter(Mandatory, ValueFromRemainingArguments)][string[]]$Path,
    [string]$Headstart = $(if ($env:HEADSTART_PROGRAM) { $env:HEADSTART_PROGRAM } else { 'headstart.exe' }),
    [int]$SettleSeconds = 5
)
$ErrorActionPreference = 'Stop'
& $Headstart evict @Path | Out-Null
if ($LASTEXITCODE -ne 0) { exit $LASTEXITCODE }
# See windows.ps1.
Start-Sleep -Seconds $SettleSeconds
