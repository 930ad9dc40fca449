# headstart_seam(<target> [<source>]): binds the target's calls of a few
# functions to lib/Link/Seam.cpp, which says what for, and those that only its
# driver makes to <source> beside it. That one is an object of the program's
# own: lld refers to its templates weakly, which takes nothing from an archive.
function(headstart_seam target)
  foreach(source ${ARGN})
    target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/lib/Link/${source})
  endforeach()
  foreach(symbol
      # llvm::MemoryBuffer::getFile
      _ZN4llvm12MemoryBuffer7getFileERKNS_5TwineEbbbSt8optionalINS_5AlignEE
      # llvm::cl::ExpandResponseFiles
      _ZN4llvm2cl19ExpandResponseFilesERNS_11StringSaverEPFvNS_9StringRefES2_RNS_15SmallVectorImplIPKcEEbES8_
      # llvm::sys::Process::Exit
      _ZN4llvm3sys7Process4ExitEib
      # llvm::sys::fs::getMainExecutable
      _ZN4llvm3sys2fs17getMainExecutableB5cxx11EPKcPv
      # lld::Timer::Timer, lld::ScopedTimer::ScopedTimer
      _ZN3lld5TimerC1EN4llvm9StringRefERS0_
      _ZN3lld11ScopedTimerC1ERNS_5TimerE
      # llvm::FileOutputBuffer::create
      _ZN4llvm16FileOutputBuffer6createENS_9StringRefEmj
      # lld::elf::splitSections, for each form of ELF
      _ZN3lld3elf13splitSectionsIN4llvm6object7ELFTypeILNS2_10endiannessE0ELb0EEEEEvRNS0_3CtxE
      _ZN3lld3elf13splitSectionsIN4llvm6object7ELFTypeILNS2_10endiannessE0ELb1EEEEEvRNS0_3CtxE
      _ZN3lld3elf13splitSectionsIN4llvm6object7ELFTypeILNS2_10endiannessE1ELb0EEEEEvRNS0_3CtxE
      _ZN3lld3elf13splitSectionsIN4llvm6object7ELFTypeILNS2_10endiannessE1ELb1EEEEEvRNS0_3CtxE
      # lld::macho::writeResult
      _ZN3lld5macho11writeResultINS0_4LP64EEEvv
      _ZN3lld5macho11writeResultINS0_5ILP32EEEvv)
    target_link_options(${target} PRIVATE "LINKER:--wrap=${symbol}")
  endforeach()
endfunction()
