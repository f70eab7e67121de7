MediaProcess.main()
