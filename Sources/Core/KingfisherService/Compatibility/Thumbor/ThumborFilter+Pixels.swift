extension ThumborFilter {
    private static let percent = -100.0...100

    /// What becomes a step.
    static let pixels = [
        ThumborFilter("grayscale", 0...0) { $0.add("color:0,1,0", $1) },
        ThumborFilter("brightness", 1...1) {
            $0.add("color:\(PlainNumber.text(try $1.decimal(0, in: percent) / 100)),1,1", $1)
        },
        ThumborFilter("contrast", 1...1) {
            $0.add("color:0,\(PlainNumber.text(1 + (try $1.decimal(0, in: percent)) / 100)),1", $1)
        },
        ThumborFilter("saturation", 1...1) {
            $0.add("color:0,1,\(PlainNumber.text(1 + (try $1.decimal(0, in: percent)) / 100))", $1)
        },
        ThumborFilter("blur", 1...2) {
            let radius = try $1.decimal(0, in: 0...1_000)
            // A second argument of 0 stands for the first.
            let second = $1.texts.count == 2 ? try $1.decimal(1, in: 0...1_000) : 0
            let sigma = second == 0 ? radius : second
            guard sigma != 0 else { return }
            guard sigma >= 2 else { throw $1.unsupported("below 2", "blur starts at 2") }
            $0.add("blur:\(PlainNumber.text(sigma))", $1)
        },
        ThumborFilter("rotate", 1...1) {
            let degrees = try $1.whole(0, in: 0...3_600)
            guard degrees.isMultiple(of: 90) else {
                throw $1.unsupported("\(degrees)", "it is not a multiple of 90")
            }
            // Counter-clockwise in thumbor.
            let turns = (4 - degrees / 90 % 4) % 4
            if turns != 0 { $0.add("rotate:\(turns * 90)", $1) }
        },
        ThumborFilter("round_corner", 1...5) {
            $0.add("round:\(PlainNumber.text(try radius($1)))\(try cornerColor($1))", $1)
        },
        ThumborFilter("background_color", 1...1) { $0.add("blend:normal,\(try $1.color(0))", $1) },
        ThumborFilter("fill", 1...2) { try fill(&$0, $1) },
    ]

    /// `R`, or `R|R`.
    private static func radius(_ arguments: ThumborArguments) throws(ServiceError) -> Double {
        let radii = arguments.texts[0][...].pieces(separatedBy: "|").map { PlainNumber.decimal($0) }
        guard let first = radii[0], first >= 0.1, radii.count <= 2 else {
            throw arguments.invalid("a radius of at least 0.1 pixels")
        }
        guard radii.count == 1 || radii[1] == first else {
            throw arguments.unsupported("with two radii", "corners are circular")
        }
        return first
    }

    /// Nothing for transparent corners; otherwise a comma and a colour.
    private static func cornerColor(_ arguments: ThumborArguments) throws(ServiceError) -> String {
        guard arguments.texts.count > 1 else { return "" }
        guard arguments.texts.count >= 4 else {
            throw arguments.unsupported("with two radii", "the arguments are RADIUS,RED,GREEN,BLUE")
        }
        guard let color = CompatibleColor.components(arguments.texts[1...3].map { $0[...] }) else {
            throw arguments.invalid("a colour of three numbers from 0 to 255")
        }
        return try arguments.flag(4) ? "" : ",\(color)"
    }

    private static func fill(
        _ draft: inout ThumborDraft, _ arguments: ThumborArguments
    ) throws(ServiceError) {
        let isTransparent = ["transparent", "none"].contains(arguments.texts[0].lowercased())
        let color = isTransparent ? "" : ",\(try arguments.color(0))"
        let fillsTransparency = try arguments.flag(1)
        let (width, height) = (draft.path.size.width, draft.path.size.height)
        if width > 0 || height > 0 {
            // A canvas is never smaller than the image: 1 is a free side.
            draft.add("pad:\(max(width, 1))x\(max(height, 1))\(color)", arguments)
        }
        if fillsTransparency, !isTransparent { draft.add("blend:normal\(color)", arguments) }
    }
}

extension ThumborDraft {
    fileprivate mutating func add(_ step: String, _ arguments: ThumborArguments) {
        effects.append(Effect(text: step, filter: arguments.filter))
    }
}
