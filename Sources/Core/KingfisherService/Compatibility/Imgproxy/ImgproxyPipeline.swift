/// Turns options into steps, in the order of imgproxy's pipeline: trim, crop, rotate, flip, size, colours,
/// blur, sharpen, pixelate, pad, margin, background, watermark.
struct ImgproxyPipeline {
    private let options: ImgproxyOptions
    private let watermark: String?
    private var steps: CompatibleSteps

    init(_ options: ImgproxyOptions, watermark: String?, steps: CompatibleSteps) {
        (self.options, self.watermark, self.steps) = (options, watermark, steps)
    }

    mutating func run() throws(ServiceError) -> [ServiceRequest.Step] {
        if let threshold = options.trim {
            // Up, because the step rounds T * 255 down.
            try steps.append("trim:\(PlainNumber.text(threshold / 255, rounded: .up))", for: "trim")
        }
        if let crop = options.crop { try add(crop) }
        try addTurns()
        let width = try side(options.width, options.zoom.x)
        let height = try side(options.height, options.zoom.y)
        try addSize(width, height)
        try addFilters()
        try addFrame(width, height)
        return steps.steps
    }

    private mutating func add(_ crop: ImgproxyOptions.Crop) throws(ServiceError) {
        let gravity = crop.gravity ?? options.gravity
        guard !gravity.isFocalPoint || gravity.anchor.name != nil else {
            throw .unsupported("crop with fp", "the position of a crop is not a focal point")
        }
        let isTurned = options.quarterTurns != 0 || options.flipsHorizontally || options.flipsVertically
        if gravity.hasOffset {
            guard !isTurned else {
                throw .unsupported("crop with an offset and rotate or flip", "its origin would be elsewhere")
            }
            let origin = "\(PlainNumber.text(gravity.offset.x)),\(PlainNumber.text(gravity.offset.y))"
            return try steps.append("cut:\(origin),\(crop.width)x\(crop.height)", for: "crop")
        }
        // imgproxy crops before it turns, but means sides and gravity of the turned image.
        let (width, height) =
            options.quarterTurns.isMultiple(of: 2)
            ? (crop.width, crop.height) : (crop.height, crop.width)
        try steps.append("crop:\(width)x\(height)\(unturned(gravity.anchor).argument)", for: "crop")
    }

    /// The anchor in the image before turns and flips.
    private func unturned(_ anchor: CompatibleAnchor) -> CompatibleAnchor {
        var anchor = anchor
        if options.flipsHorizontally { anchor.x = 1 - anchor.x }
        if options.flipsVertically { anchor.y = 1 - anchor.y }
        for _ in 0..<options.quarterTurns { anchor = CompatibleAnchor(x: anchor.y, y: 1 - anchor.x) }
        return anchor
    }

    private mutating func addTurns() throws(ServiceError) {
        if options.quarterTurns != 0 {
            try steps.append("rotate:\(options.quarterTurns * 90)", for: "rotate")
        }
        if options.flipsHorizontally { try steps.append("flip:horizontal", for: "flip") }
        if options.flipsVertically { try steps.append("flip:vertical", for: "flip") }
    }

    private mutating func addSize(_ width: Int, _ height: Int) throws(ServiceError) {
        guard width > 0 || height > 0 else { return try checkFactorsWithoutSize() }
        let size = try steps.size(width, height, of: "width or height")
        guard options.zoom.x == options.zoom.y || options.resizing == .force else {
            throw .unsupported("zoom with two factors", "it would distort the image")
        }
        let enlarges = options.enlarges ? ",enlarge" : ""
        switch options.resizing {
        case .force:
            guard width > 0, height > 0 else {
                throw .unsupported("resizing_type force", "it needs width and height")
            }
            try steps.append("resize:\(size)", for: "resizing_type")
        case .fill where width > 0 && height > 0:
            try steps.append("cover:\(size)\(options.gravity.anchor.argument)\(enlarges)", for: "resize")
        case .fillDown where width > 0 && height > 0:
            let mode = options.enlarges ? enlarges : ",ratio"
            try steps.append("cover:\(size)\(options.gravity.anchor.argument)\(mode)", for: "resize")
        case .fit, .fill, .fillDown:
            // With a free side nothing is cropped.
            try steps.append("fit:\(size)\(enlarges)", for: "resize")
        }
    }

    private func checkFactorsWithoutSize() throws(ServiceError) {
        let reason = "without width and height it is a factor of the source's size"
        guard options.zoom == (1, 1) else { throw .unsupported("zoom", reason) }
        // A larger ratio is limited by the size of the source, unless it is enlarged.
        guard options.pixelRatio == 1 || (options.pixelRatio > 1 && !options.enlarges) else {
            throw .unsupported("dpr", reason)
        }
    }

    private mutating func addFilters() throws(ServiceError) {
        if options.brightness != 0 || options.contrast != 1 || options.saturation != 1 {
            let numbers = [Double(options.brightness) / 255, options.contrast, options.saturation]
            let arguments = numbers.map { PlainNumber.text($0) }.joined(separator: ",")
            try steps.append("color:\(arguments)", for: "adjust")
        }
        if options.blur > 0 { try steps.append("blur:\(PlainNumber.text(options.blur))", for: "blur") }
        if options.sharpening > 0 {
            try steps.append("sharpen:\(PlainNumber.text(options.sharpening))", for: "sharpen")
        }
        if options.pixelation > 1 { try steps.append("pixelate:\(options.pixelation)", for: "pixelate") }
    }

    private mutating func addFrame(_ width: Int, _ height: Int) throws(ServiceError) {
        if let anchor = options.extent, width > 0 || height > 0 {
            // A canvas is never smaller than the image: 1 is a free side.
            let size = try steps.size(max(width, 1), max(height, 1), of: "extend")
            try steps.append("pad:\(size)\(anchor.argument)", for: "extend")
        }
        if options.padding != ImgproxyOptions.Padding() { try addPadding(options.padding) }
        if let color = options.background { try steps.append("blend:normal,\(color)", for: "background") }
        guard let mark = options.watermark else { return }
        guard let watermark else { throw .unsupported("watermark", "the service has none for imgproxy") }
        let position = mark.anchor.name ?? "center"
        try steps.append(
            "watermark:\(watermark),\(position),\(PlainNumber.text(mark.opacity))", for: "watermark")
    }

    private mutating func addPadding(_ padding: ImgproxyOptions.Padding) throws(ServiceError) {
        var sides: [String] = []
        for side in [padding.top, padding.right, padding.bottom, padding.left] {
            let pixels = (Double(side) * options.pixelRatio).rounded()
            sides.append(PlainNumber.text(pixels))
        }
        try steps.append("margin:\(sides.joined(separator: ","))", for: "padding")
    }

    /// Pixels with both factors, at least 1; 0 if the side is free.
    private func side(_ pixels: Int, _ zoom: Double) throws(ServiceError) -> Int {
        guard pixels > 0 else { return 0 }
        let scaled = (Double(pixels) * zoom * options.pixelRatio).rounded()
        guard let side = Int(exactly: scaled), side <= 1_000_000_000 else {
            throw .invalid("width or height", expected: "a smaller size after zoom and dpr")
        }
        return max(side, 1)
    }
}
