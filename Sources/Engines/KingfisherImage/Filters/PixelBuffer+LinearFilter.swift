import CKernels
import Foundation

extension PixelBuffer {
    func filtered(by filter: LinearFilter) throws(ImageCodecError) -> PixelBuffer {
        let (source, level) = (try premultiplied(format.depth), KernelLevel.current.native)
        if filter == .identity { return source }
        return switch format.depth {
        case .eight:
            try filter.withNative { native throws(ImageCodecError) in
                try source.mapped { (from: UInt8.Source, count, to) in
                    kf_filter_linear(level, from, count, native, to)
                }
            }
        case .sixteen: try source.mapped(by: filter.loop16)
        }
    }
}

extension LinearFilter {
    func withNative<Result>(
        _ body: (UnsafePointer<kf_linear_filter>) throws(ImageCodecError) -> Result
    ) throws(ImageCodecError) -> Result {
        // Sums beyond the fixed-point range use a larger unit. Clamping the terms one by one would turn a
        // white pixel black or green where large terms cancel out.
        let unit = max(1, largestFactor * (1 - veilAlpha) / Self.largestTableLight)
        let steps = LinearLight.bytes(unit: unit)
        let lightBytes = 3 * 4 * LinearLight.ofSamples.count * MemoryLayout<Int32>.size
        let memory = try Scratch(byteCount: lightBytes + steps.count)
        let (lights, encoded) = (memory.samples(as: Int32.self), memory.bytes + lightBytes)
        var entry = 0
        for factors in [red, green, blue] {
            for light in LinearLight.ofSamples {
                let added = Self.fixed(factors * (light * (1 - veilAlpha) / unit))
                for channel in 0..<3 { lights[entry + channel] = added[channel] }
                entry += 4
            }
        }
        memcpy(encoded, steps, steps.count)
        let bias = Self.fixed(bias * ((1 - veilAlpha) / unit))
        let veil = Self.fixed(veil * (veilAlpha / unit))
        var native = kf_linear_filter(
            tables: lights, bias: (bias.x, bias.y, bias.z), veil: (veil.x, veil.y, veil.z),
            veil_alpha: Float(veilAlpha), encoded: encoded)
        return try body(&native)
    }

    var loop16: UInt16.Loop {
        let rest = 1 - veilAlpha
        let factors: [Double] =
            [red, green, blue, bias].flatMap { SIMD4<Double>($0 * rest, 0).samples }
            + SIMD4<Double>(veil * veilAlpha, veilAlpha).samples
        return {
            kf_filter_linear16($0, $1, LinearLight.of16Bits, LinearLight.samplesOf16Bits, factors, $2)
        }
    }

    private var largestFactor: Double {
        [red, green, blue, bias].flatMap { [$0.x, $0.y, $0.z] }.reduce(0) { max($0, abs($1)) }
    }

    private static let largestTableLight = Double(1 << 28) / Double(KF_LINEAR_ONE)

    /// Converts to fixed point. Only the veil can exceed the limit, which is far above white.
    private static func fixed(_ light: SIMD3<Double>) -> SIMD3<Int32> {
        let limit = SIMD3(repeating: Double(1 << 28))
        let scaled = (light * Double(KF_LINEAR_ONE)).clamped(lowerBound: -limit, upperBound: limit)
        return SIMD3<Int32>(scaled.rounded(.toNearestOrAwayFromZero))
    }
}

enum LinearLight {
    static let ofSamples = (0..<Int(KF_LINEAR_ENTRIES)).map { SRGB.linear(Double(min($0, 255)) / 255) }

    /// The samples nearest to equidistant light values in 0...`unit`; values above 1 become white.
    static func bytes(unit: Double) -> [UInt8] {
        if unit == 1 { return ofSteps }
        return (0..<Int(KF_LINEAR_STEPS)).map { step in
            UInt8((SRGB.encoded(min(1, unit * Double(step) / Double(KF_LINEAR_STEPS - 1))) * 255).rounded())
        }
    }

    /// The tables `light` and `encoded` of `kf_filter_linear16`.
    static let of16Bits = (0..<Int(KF_LINEAR_ENTRIES16)).map {
        Double(SRGB.linear(min(Double($0) / Double(KF_LINEAR_ENTRIES16 - 2), 1)))
    }
    static let samplesOf16Bits = (0...Int(KF_LINEAR_STEPS)).map {
        Double(SRGB.encoded(min(Double($0) / Double(KF_LINEAR_STEPS - 1), 1))) * 65_535
    }

    private static let ofSteps = (0..<Int(KF_LINEAR_STEPS)).map { step in
        UInt8((SRGB.encoded(Double(step) / Double(KF_LINEAR_STEPS - 1)) * 255).rounded())
    }
}
