/// A request of thumbor that filters change.
struct ThumborDraft {
    /// A filter that is a step; steps run in the order of the filters.
    struct Effect {
        let text: String
        let filter: String
    }

    let path: ThumborPath
    let smartCrop: ServiceSettings.SmartCrop
    var options = ServiceOptions()
    /// Nil for the default: enlarge to cover a size, but not to fit inside one.
    var enlarges: Bool?
    var effects: [Effect] = []

    init(_ path: ThumborPath, smartCrop: ServiceSettings.SmartCrop) {
        (self.path, self.smartCrop) = (path, smartCrop)
    }

    /// Trim, crop, size, flip, then filters, as thumbor does.
    func steps(_ empty: CompatibleSteps) throws(ServiceError) -> [ServiceRequest.Step] {
        var steps = empty
        if let trim = path.trim {
            // Up, because the step rounds T * 255 down.
            try steps.append("trim:\(PlainNumber.text(Double(trim) / 442, rounded: .up))", for: "trim")
        }
        if let crop = path.crop {
            let size = "\(crop.right - crop.left)x\(crop.bottom - crop.top)"
            try steps.append("cut:\(crop.left),\(crop.top),\(size)", for: "crop")
        }
        try addSize(to: &steps)
        if path.size.flipsHorizontally { try steps.append("flip:horizontal", for: "flip") }
        if path.size.flipsVertically { try steps.append("flip:vertical", for: "flip") }
        for effect in effects { try steps.append(effect.text, for: effect.filter) }
        return steps.steps
    }

    private func addSize(to steps: inout CompatibleSteps) throws(ServiceError) {
        guard !path.isSmart || smartCrop == .center else {
            throw .unsupported("smart", "there is no crop by content")
        }
        let (width, height) = (path.size.width, path.size.height)
        guard width > 0 || height > 0 else { return }
        let size = try steps.size(width, height, of: "size")
        let mode = enlarges ?? !path.fitsIn ? ",enlarge" : ""
        guard !path.fitsIn, width > 0, height > 0 else {
            return try steps.append("fit:\(size)\(mode)", for: "size")
        }
        let anchor = path.isSmart ? .center : path.anchor
        try steps.append("cover:\(size)\(anchor.argument)\(mode)", for: "size")
    }
}
