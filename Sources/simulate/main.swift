SimulateCommand.main()
