import Foundation
import Testing

@testable import KingfisherImage

@Suite struct RadiusTests {
    @Test func fractionsReferToTheSize() {
        let size = CGSize(width: 200, height: 80)
        #expect(Radius.point(12).compute(with: size) == 12)
        #expect(Radius.widthFraction(0.25).compute(with: size) == 50)
        #expect(Radius.heightFraction(0.25).compute(with: size) == 20)
    }

    @Test func identifiersMatchTheSpecification() {
        #expect(Radius.point(20).radiusIdentifier == "20.0")
        #expect(Radius.widthFraction(0.5).radiusIdentifier == "w_frac_0.5")
        #expect(Radius.heightFraction(0.5).radiusIdentifier == "h_frac_0.5")
        #expect(RectCorner.all.cornerIdentifier == "")
        #expect(RectCorner([.topLeft, .bottomRight]).cornerIdentifier == "_corner(9)")
        #expect(RectCorner([]).cornerIdentifier == "_corner(0)")
    }
}
