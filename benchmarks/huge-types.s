# 130 type records of the largest size; lld stores each of them once.
.globl main
.section .text,"xr",discard,main
main: ret
.section .debug$T,"dr"
.p2align 2
.long 4
.set number, 0
.rept 130
.short 61006, 0x1605
.long 0, number
.fill 60992, 1, 65
.long 0
.set number, number + 1
.endr
