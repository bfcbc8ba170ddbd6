/// What the options of a URL of imgproxy say, before it becomes steps.
struct ImgproxyOptions {
    enum Resizing: String {
        case fit
        case fill
        case fillDown = "fill-down"
        case force
    }

    struct Crop {
        var width: Int
        var height: Int
        /// Nil for the gravity of the result.
        var gravity: ImgproxyGravity?
    }

    struct Padding: Hashable {
        var top = 0
        var right = 0
        var bottom = 0
        var left = 0
    }

    struct Watermark {
        var opacity: Double
        var anchor: CompatibleAnchor
    }

    let smartCrop: ServiceSettings.SmartCrop
    var resizing = Resizing.fit
    /// Pixels; 0 is free.
    var width = 0
    var height = 0
    var enlarges = false
    /// Where the image is on a canvas of the result's size; nil without a canvas.
    var extent: CompatibleAnchor?
    var gravity = ImgproxyGravity()
    /// Factors for width and height.
    var zoom = (x: 1.0, y: 1.0)
    /// A factor for sizes and padding.
    var pixelRatio = 1.0
    var crop: Crop?
    /// The threshold, 0...255.
    var trim: Double?
    /// Clockwise, 0...3.
    var quarterTurns = 0
    var flipsHorizontally = false
    var flipsVertically = false
    /// -255...255.
    var brightness = 0
    var contrast = 1.0
    var saturation = 1.0
    /// Standard deviations in pixels; 0 has no effect.
    var blur = 0.0
    var sharpening = 0.0
    /// The side of a square in pixels; 0 and 1 have no effect.
    var pixelation = 0
    var padding = Padding()
    /// `#` and hexadecimal digits.
    var background: String?
    var watermark: Watermark?
    var stripsMetadata = true
    var keepsCopyright = false
    /// Without what depends on several options; see `completedOutput`.
    var output = ServiceOptions()

    init(smartCrop: ServiceSettings.SmartCrop) { self.smartCrop = smartCrop }

    /// The options of the request.
    var completedOutput: ServiceOptions {
        var output = output
        // In imgproxy `quality` replaces the qualities of formats, here these take precedence.
        if output.quality != nil { output.formatQualities = [:] }
        output.metadata = !stripsMetadata ? .keep : keepsCopyright ? .copyright : .none
        return output
    }
}
