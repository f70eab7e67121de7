StoreTrial.main()
