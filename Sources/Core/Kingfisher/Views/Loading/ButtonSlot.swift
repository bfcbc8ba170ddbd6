import KingfisherImage

enum ButtonSlot: Hashable {
    case image(ControlState)
    case background(ControlState)
    case alternate

    var isImage: Bool { if case .image = self { true } else { false } }
    var isBackground: Bool { if case .background = self { true } else { false } }
}

struct ButtonLoads {
    private var loads: [ButtonSlot: CurrentLoad] = [:]

    subscript(slot: ButtonSlot) -> CurrentLoad? { loads[slot] }

    var areRunning: Bool { loads.values.contains { $0.identifier != nil } }

    var all: [(slot: ButtonSlot, load: CurrentLoad)] { loads.map { ($0.key, $0.value) } }

    mutating func load(of slot: ButtonSlot) -> CurrentLoad {
        if let load = loads[slot] { return load }
        let load = CurrentLoad()
        loads[slot] = load
        return load
    }

    /// Cancels the loads of matching slots, but not those that their completion handlers start, and ends the
    /// watches of their files.
    func cancel(where isIncluded: (ButtonSlot) -> Bool) {
        let chosen = loads.filter { isIncluded($0.key) }.values
        let tasks = chosen.compactMap(\.task)
        for load in chosen { load.endWatch() }
        for task in tasks { task.cancel() }
    }
}

extension Button {
    /// The image that was set for this slot, without fallback to other states.
    subscript(slot: ButtonSlot) -> Image? {
        get {
            switch slot {
            case .image(let state): images[state]
            case .background(let state): backgroundImages[state]
            case .alternate: alternateImage
            }
        }
        set {
            switch slot {
            case .image(let state): setImage(newValue, for: state)
            case .background(let state): setBackgroundImage(newValue, for: state)
            case .alternate: alternateImage = newValue
            }
        }
    }
}
