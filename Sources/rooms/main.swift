import RoomsServer

RoomsTool.main()
