/// Reads the fields of EXIF (CIPA DC-008-2019, sections 4.6.5 to 4.6.8).
///
/// Reads three directories at most, each once, so that offsets that form a loop do no harm.
struct EXIFReader {
    private let main: TIFFDirectory
    private let camera: TIFFDirectory?
    private let gps: TIFFDirectory?

    init?(_ block: ByteReader) {
        guard let file = TIFFFile(block), let main = file.directory(at: file.first) else { return nil }
        self.main = main
        camera = file.directory(at: main.integer(0x8769))
        gps = file.directory(at: main.integer(0x8825))
    }

    var fields: ImageMetadata.EXIFFields {
        var fields = ImageMetadata.EXIFFields()
        fields.imageDescription = main.text(0x010E)
        fields.make = main.text(0x010F)
        fields.model = main.text(0x0110)
        fields.software = main.text(0x0131)
        fields.artist = main.text(0x013B)
        fields.copyright = main.text(0x8298)
        fields.dateModified = moment(main.text(0x0132), fraction: 0x9290, offset: 0x9010)
        guard let camera else { return fields }
        fields.exposureTime = positive(camera.fraction(0x829A))
        fields.fNumber = positive(camera.fraction(0x829D))
        fields.iso = iso(camera)
        fields.dateTaken = moment(camera.text(0x9003), fraction: 0x9291, offset: 0x9011)
        fields.dateDigitized = moment(camera.text(0x9004), fraction: 0x9292, offset: 0x9012)
        fields.flash = camera.integer(0x9209)
        fields.focalLength = positive(camera.fraction(0x920A))
        fields.focalLengthIn35mmFilm = camera.integer(0xA405).flatMap { $0 > 0 ? $0 : nil }
        fields.lensMake = camera.text(0xA433)
        fields.lensModel = camera.text(0xA434)
        return fields
    }

    /// The second part of `Copyright`, for the editor of a collection (CIPA DC-008-2019, section 4.6.4).
    var editorCopyright: String? { main.secondText(0x8298) }

    /// 65,535 means that the number does not fit, and that the recommended exposure index has it.
    private func iso(_ camera: TIFFDirectory) -> Int? {
        let short = camera.integer(0x8827)
        return short == 65_535 ? camera.integer(0x8832) ?? short : short.flatMap { $0 > 0 ? $0 : nil }
    }

    private func positive(_ number: Double?) -> Double? {
        number.flatMap { $0 > 0 ? $0 : nil }
    }

    private func moment(_ text: String?, fraction: Int, offset: Int) -> ImageMetadata.Moment? {
        text.flatMap {
            ImageMetadata.Moment(exif: $0, fraction: camera?.text(fraction), offset: camera?.text(offset))
        }
    }

    /// Pixels per inch; nil without a unit.
    var density: ImageMetadata.PixelDensity? {
        // The unit is inches by default.
        let scale: Double? =
            switch main.integer(0x0128) ?? 2 {
            case 2: 1
            case 3: 2.54
            default: nil
            }
        guard let scale, let x = main.fraction(0x011A), let y = main.fraction(0x011B) else { return nil }
        return ImageMetadata.PixelDensity(x: x * scale, y: y * scale)
    }

    var location: ImageMetadata.Location? {
        guard let gps else { return nil }
        var location = ImageMetadata.Location()
        location.latitude = degrees(gps, 2, reference: 1, positive: "N", negative: "S", limit: 90)
        location.longitude = degrees(gps, 4, reference: 3, positive: "E", negative: "W", limit: 180)
        if let metres = gps.fraction(6) {
            // 1 is below the sea level, 3 below the ellipsoid.
            location.altitude = [1, 3].contains(gps.integer(5)) ? -metres : metres
        }
        location.timestamp = timestamp(gps)
        return location == ImageMetadata.Location() ? nil : location
    }

    /// Degrees, minutes and seconds; writers may omit the last two.
    private func degrees(
        _ gps: TIFFDirectory, _ tag: Int, reference: Int, positive: String, negative: String, limit: Double
    ) -> Double? {
        guard let side = gps.text(reference), side == positive || side == negative,
            let degrees = gps.fraction(tag)
        else { return nil }
        let value = degrees + (gps.fraction(tag, at: 1) ?? 0) / 60 + (gps.fraction(tag, at: 2) ?? 0) / 3_600
        guard value >= 0, value <= limit else { return nil }
        return side == positive ? value : -value
    }

    private func timestamp(_ gps: TIFFDirectory) -> ImageMetadata.Moment? {
        guard let date = gps.text(0x1D), let hour = gps.fraction(7), let minute = gps.fraction(7, at: 1),
            let second = gps.fraction(7, at: 2)
        else { return nil }
        // Numbers above any clock become invalid numbers, not traps.
        func whole(_ number: Double) -> Int { number >= 0 && number < 100 ? Int(number) : 99 }
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let rest = second >= 0 && second < 100 ? second.truncatingRemainder(dividingBy: 1) : 0
        let thousandths = min(999, Int((rest * 1_000).rounded()))
        let digits = thousandths == 0 ? "" : String("\(1_000 + thousandths)".dropFirst())
        return ImageMetadata.Moment(
            exif: "\(date) \(two(whole(hour))):\(two(whole(minute))):\(two(whole(second)))",
            fraction: digits, offset: "Z")
    }
}
