VideoProcess.main()
