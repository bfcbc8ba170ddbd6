extension ImgproxyOption {
    private static let sides = 0...1_000_000
    private static let factors = 0.000_001...1_000

    /// Sizes, crops and turns.
    static let sizes = [
        ImgproxyOption("resize", "rs", arguments: 8) {
            if let type = $1.text(0) { $0.resizing = try resizing(type, $1) }
            try setSize(&$0, $1.dropping(1))
        },
        ImgproxyOption("size", "s", arguments: 7) { try setSize(&$0, $1) },
        ImgproxyOption("resizing_type", "rt") { $0.resizing = try resizing($1.required($1.text(0)), $1) },
        ImgproxyOption("width", "w") { $0.width = try $1.whole(in: sides) },
        ImgproxyOption("height", "h") { $0.height = try $1.whole(in: sides) },
        ImgproxyOption("enlarge", "el") { $0.enlarges = try $1.flag() },
        ImgproxyOption("extend", "ex", arguments: 4) { $0.extent = try extent($1) },
        ImgproxyOption("gravity", "g", arguments: 3) {
            $0.gravity = try ImgproxyGravity($1, smartCrop: $0.smartCrop).withoutOffset($1)
        },
        ImgproxyOption("dpr") { $0.pixelRatio = try $1.decimal(in: factors) },
        ImgproxyOption("zoom", "z", arguments: 2) {
            let x = try $1.decimal(in: factors)
            $0.zoom = (x, try $1.decimalIfAny(1, in: factors) ?? x)
        },
        ImgproxyOption("crop", "c", arguments: 5) { $0.crop = try crop($0, $1) },
        ImgproxyOption("trim", "t", arguments: 4) { $0.trim = try trim($1) },
        ImgproxyOption("rotate", "rot") {
            let degrees = try $1.whole(in: 0...3_600)
            guard degrees % 90 == 0 else { throw $1.unsupported("\(degrees)", "it is not a multiple of 90") }
            $0.quarterTurns = degrees / 90 % 4
        },
        ImgproxyOption("flip", "fl", arguments: 2) {
            $0.flipsHorizontally = try $1.flag()
            $0.flipsVertically = try $1.flagIfAny(1) ?? false
        },
        fixed("auto_rotate", "ar", is: true, otherwise: "images are always upright"),
    ]

    private static func resizing(
        _ type: Substring, _ arguments: ImgproxyArguments
    ) throws(ServiceError) -> ImgproxyOptions.Resizing {
        if let resizing = ImgproxyOptions.Resizing(rawValue: String(type)) { return resizing }
        guard type == "auto" else { throw arguments.invalid("fit, fill, fill-down or force") }
        throw arguments.unsupported("auto", "the type cannot depend on the image")
    }

    private static func setSize(
        _ options: inout ImgproxyOptions, _ arguments: ImgproxyArguments
    ) throws(ServiceError) {
        options.width = try arguments.wholeIfAny(0, in: sides) ?? options.width
        options.height = try arguments.wholeIfAny(1, in: sides) ?? options.height
        options.enlarges = try arguments.flagIfAny(2) ?? options.enlarges
        let rest = arguments.dropping(3)
        if rest.text(0) != nil { options.extent = try extent(rest) }
    }

    private static func extent(_ arguments: ImgproxyArguments) throws(ServiceError) -> CompatibleAnchor? {
        let isOn = try arguments.flag()
        let rest = arguments.dropping(1)
        guard let type = rest.text(0) else { return isOn ? .center : nil }
        guard type != "sm" else { throw arguments.unsupported("sm", "a canvas has no content") }
        let gravity = try ImgproxyGravity(rest, smartCrop: .refuse).withoutOffset(rest)
        guard !gravity.isFocalPoint else {
            throw arguments.unsupported("fp", "the position on a canvas is an edge, a corner or the centre")
        }
        return isOn ? gravity.anchor : nil
    }

    private static func crop(
        _ options: ImgproxyOptions, _ arguments: ImgproxyArguments
    ) throws(ServiceError) -> ImgproxyOptions.Crop {
        var sides: [Int] = []
        for index in 0...1 {
            let side = try arguments.decimal(index, in: 0...1_000_000)
            guard side >= 1, side == side.rounded() else {
                throw arguments.unsupported(side == 0 ? "0" : "relative", "a crop has two sides in pixels")
            }
            sides.append(Int(side))
        }
        let rest = arguments.dropping(2)
        let gravity =
            rest.text(0) == nil ? nil : try ImgproxyGravity(rest, smartCrop: options.smartCrop)
        if let gravity, gravity.hasOffset {
            let (x, y) = (gravity.offset.x, gravity.offset.y)
            guard gravity.anchor == .topLeft, min(x, y) >= 0, x == x.rounded(), y == y.rounded() else {
                throw arguments.unsupported(
                    "with an offset", "only nowe has offsets, and these are whole numbers of pixels")
            }
        }
        return ImgproxyOptions.Crop(width: sides[0], height: sides[1], gravity: gravity)
    }

    private static func trim(_ arguments: ImgproxyArguments) throws(ServiceError) -> Double {
        guard arguments.text(1) == nil else {
            throw arguments.unsupported("with a colour", "it is the colour of the first pixel")
        }
        for index in 2...3 where try arguments.flagIfAny(index) == true {
            throw arguments.unsupported("with equal sides", "each side is trimmed as far as possible")
        }
        return try arguments.decimal(in: 0...255)
    }
}
