import KingfisherImage

/// A place for an image on a button.
enum ButtonSlot: Hashable {
    case image(ControlState)
    case background(ControlState)
    case alternate

    var isImage: Bool { if case .image = self { true } else { false } }
    var isBackground: Bool { if case .background = self { true } else { false } }
}

/// The loads that a button waits for, one for each of its places.
struct ButtonLoads {
    private var loads: [ButtonSlot: CurrentLoad] = [:]

    subscript(slot: ButtonSlot) -> CurrentLoad? { loads[slot] }

    /// The load of `slot`, made on first use.
    mutating func load(of slot: ButtonSlot) -> CurrentLoad {
        if let load = loads[slot] { return load }
        let load = CurrentLoad()
        loads[slot] = load
        return load
    }

    /// Cancels the loads of all places that `isMeant` names, but none that their completion handlers begin.
    func cancel(where isMeant: (ButtonSlot) -> Bool) {
        let tasks = loads.compactMap { slot, load in isMeant(slot) ? load.task : nil }
        for task in tasks { task.cancel() }
    }
}

extension Button {
    /// The image that was set for just that place.
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
