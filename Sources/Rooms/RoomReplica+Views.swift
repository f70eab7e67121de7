import Wire

/// Members with a view. They are told of the touches in the squares of a grid that their view touches: what is told of a
/// touch is encoded once for each grid and form, and a member gets the pieces of its squares.
///
/// A member that keeps up is told who moved in its squares, and first of all who has left one of them. Any other is told of
/// all who touch in its squares, so nothing is known of a member but its newest tick.
extension RoomReplica {
    /// Sets what a member sees. All of it is due then.
    ///
    /// - Returns: what the squares cover in which the view lies.
    @discardableResult
    package func setView(_ index: Int, _ area: ViewArea) -> ViewArea {
        let told = tick(of: members[index])
        count(members[index], -1)
        if members[index].view >= 0 { views.remove(Int(members[index].view)) }
        let number = views.add(area, at: told) { fill($0) }
        noteView(index, number)
        count(members[index], 1)
        guard let view = views[number] else { return area }
        return view.grid.squares.area(of: view.cells)
    }

    private func fill(_ grid: ViewGrid) {
        for slot in rows.indices where rows[slot].touchedAt > 0 && !rows[slot].isAway {
            grid.move(slot, to: rows[slot].point)
        }
        grid.begin()
    }

    /// Notes in the grids what the newest delta changes.
    func moveInGrids(_ delta: RoomDelta) {
        guard !views.grids.isEmpty else { return }
        for grid in views.grids { grid.begin() }
        for slot in delta.endedTouches { for grid in views.grids { grid.end(slot) } }
        for touch in delta.touches {
            let point = rows[touch.slot].point
            let isAway = rows[touch.slot].isAway
            for grid in views.grids { grid.move(touch.slot, to: isAway ? nil : point) }
        }
        for grid in views.grids { grid.sort() }
    }

    // MARK: Delivery

    /// Appends what a member is told of touches within its view. Returns the number of touches.
    func appendView(_ number: Int, of member: Member, to bytes: inout [UInt8]) -> Int {
        guard let view = views[number] else { return 0 }
        let isWhole = !view.isTold || view.tick + 1 < tick
        views.left.removeAll(keepingCapacity: true)
        views.moved.removeAll(keepingCapacity: true)
        var count = 0
        if isWhole {
            count = view.grid.all.find(view.cells, in: &views.moved)
        } else {
            count = view.grid.left.find(view.cells, in: &views.left)
            count += view.grid.moved.find(view.cells, in: &views.moved)
        }
        guard isWhole || count > 0 else { return 0 }
        make(view.grid, member.form, isWhole: isWhole)
        let told = view.grid.told[member.form.viewIndex]
        let moved = isWhole ? told.all : told.moved
        if member.form.contains(.ticks) {
            appendTick(member.form.decimals, isWhole, told.left, moved, to: &bytes)
        } else if member.form.contains(.batches) {
            appendBatch(isWhole, told.left, moved, to: &bytes)
        } else {
            if isWhole { appendViewEvent(to: &bytes) }
            let order = isWhole ? view.grid.all : view.grid.moved
            count -= appendOthers(member.slot, views.left, of: view.grid.left, told.left, to: &bytes)
            count -= appendOthers(member.slot, views.moved, of: order, moved, to: &bytes)
        }
        return count
    }

    /// Encodes what members of a grid in a form get, if it is not there yet.
    private func make(_ grid: ViewGrid, _ form: DeliveryForm, isWhole: Bool) {
        let index = form.viewIndex
        if isWhole {
            guard !grid.told[index].all.isMade else { return }
            grid.told[index].all.make(grid.all) { appendPiece($0, form, to: &$1) }
        } else {
            guard !grid.told[index].moved.isMade else { return }
            grid.told[index].moved.make(grid.moved) { appendPiece($0, form, to: &$1) }
            grid.told[index].left.make(grid.left) { appendPiece($0, form, leaves: true, to: &$1) }
        }
    }

    private func appendPiece(
        _ item: CellOrder.Item, _ form: DeliveryForm, leaves: Bool = false, to bytes: inout [UInt8]
    ) {
        if form.contains(.ticks) {
            guard let stream = streams.first(where: { $0.decimals == form.decimals }) else { return }
            TickWriter.appendOfView(stream.row(item.slot, isNew: item.isNew, leaves: leaves), to: &bytes)
        } else if form.contains(.batches) {
            rows[item.slot].appendTuple(item.slot, to: &bytes)
            bytes.append(UInt8(ascii: ","))
        } else if leaves {
            rows[item.slot].appendLeft(to: &bytes)
        } else {
            rows[item.slot].append(to: &bytes)
        }
    }

    private func appendTick(
        _ decimals: Int, _ isWhole: Bool, _ left: CellPieces, _ moved: CellPieces, to bytes: inout [UInt8]
    ) {
        let header = TickHeader(
            decimals: decimals, isAbsolute: isWhole, tick: tick, interval: interval, isOfView: true)
        EventFrame.appendTick(roomJSON, to: &bytes)
        EventFrame.appendAttachment(to: &bytes) { bytes in
            TickWriter.append(header, to: &bytes)
            for range in views.left { left.append(range, to: &bytes) }
            for range in views.moved { moved.append(range, to: &bytes) }
        }
    }

    private func appendBatch(_ isWhole: Bool, _ left: CellPieces, _ moved: CellPieces, to bytes: inout [UInt8]) {
        EventFrame.append("touch:batch", to: &bytes) { bytes in
            bytes.append(contentsOf: #"{"roomId":"#.utf8)
            bytes.append(contentsOf: roomJSON)
            bytes.append(contentsOf: #","tick":"#.utf8)
            bytes.append(contentsOf: String(tick).utf8)
            if isWhole { bytes.append(contentsOf: #","all":true"#.utf8) }
            if !views.left.isEmpty { appendTuples("left", views.left, left, to: &bytes) }
            appendTuples("touches", views.moved, moved, to: &bytes)
            bytes.append(UInt8(ascii: "}"))
        }
    }

    private func appendTuples(
        _ name: String, _ ranges: [Range<Int>], _ pieces: CellPieces, to bytes: inout [UInt8]
    ) {
        bytes.append(contentsOf: ",\"\(name)\":[".utf8)
        for range in ranges { pieces.append(range, to: &bytes) }
        // Each has a comma behind it.
        if !ranges.isEmpty { bytes.removeLast() }
        bytes.append(UInt8(ascii: "]"))
    }

    /// Single events for a member that has nothing of its view: those that follow are all.
    private func appendViewEvent(to bytes: inout [UInt8]) {
        EventFrame.append("view:all", to: &bytes) { bytes in
            bytes.append(contentsOf: #"{"roomId":"#.utf8)
            bytes.append(contentsOf: roomJSON)
            bytes.append(UInt8(ascii: "}"))
        }
    }

    /// Appends single events without those of a slot. Returns how many it left out.
    private func appendOthers(
        _ slot: Int, _ ranges: [Range<Int>], of order: CellOrder, _ pieces: CellPieces, to bytes: inout [UInt8]
    ) -> Int {
        var leftOut = 0
        for range in ranges {
            guard let own = range.first(where: { order.items[$0].slot == slot }) else {
                pieces.append(range, to: &bytes)
                continue
            }
            pieces.append(range.lowerBound..<own, to: &bytes)
            pieces.append(own + 1..<range.upperBound, to: &bytes)
            leftOut += 1
        }
        return leftOut
    }
}

extension DeliveryForm {
    static let viewIndexCount = TickHeader.decimalsMax + 3

    /// The form of positions as a number.
    var viewIndex: Int { contains(.ticks) ? decimals + 2 : contains(.batches) ? 1 : 0 }
}
