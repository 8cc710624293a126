"""The English papers: a contract, an invoice, minutes, a manual, a report and a price list, as offices write them."""

from tests.samples.papers import Grid, Heading, Items, Paper, Paragraph, day

LEASE = Paper(
    name="lease",
    title="Lease Agreement for Harbour House",
    author="Margaret Ashby",
    language="en",
    dated_at=day(2026, 3, 14),
    running="Ashby and Partners, Solicitors",
    pages=(
        (
            Heading("Lease Agreement for Harbour House"),
            Paragraph("Date: 14 March 2026"),
            Paragraph(
                "This agreement is made between Northgate Properties Limited, represented by Margaret Ashby (the landlord), "
                "and Oakfield Bakery, represented by its owner Daniel Whitlock (the tenant), for the ground floor of Harbour "
                "House, 27 Quay Street, Bristol."
            ),
            Heading("Term and rent", 2),
            Paragraph(
                "The lease begins on 1 May 2026 and ends on 30 April 2031. The rent is 2,450 pounds a month, payable on the "
                "first working day. From May 2028 it rises by 3 percent each year."
            ),
            Paragraph(
                "The tenant pays a deposit of 7,350 pounds before the keys are handed over. The landlord returns it within "
                "thirty days after the end of the lease, less the cost of any damage that both parties have agreed in "
                "writing."
            ),
            Heading("Payments", 2),
            Grid(
                (
                    ("Payment", "Amount", "Due"),
                    ("Deposit", "7,350", "24 April 2026"),
                    ("First rent", "2,450", "1 May 2026"),
                    ("Service charge", "310", "1 June 2026"),
                    ("Insurance share", "186", "1 July 2026"),
                )
            ),
            Heading("Use of the premises", 2),
            Items(
                (
                    "The premises may be used as a bakery with a shop and up to sixteen seats.",
                    "Ovens may run from four in the morning; deliveries begin at six.",
                    "A sign above the door needs the written consent of the landlord.",
                )
            ),
        ),
        (
            Heading("Repairs", 2),
            Paragraph(
                "The landlord keeps the roof, the outer walls and the drains in repair. The tenant keeps the inside in repair"
                " and has the ovens inspected every year, for the first time in April 2027, by a certified engineer."
            ),
            Paragraph(
                "Damage by water is reported within two days to the caretaker, Mr Owen Pryce, telephone 0117 496 0233, who "
                "keeps a key to the stopcock in the cellar."
            ),
            Heading("Notice", 2),
            Paragraph(
                "Either party may end this lease early, on 30 April 2029, by giving six months notice in writing. Notices are"
                " sent to the addresses on the first page by recorded delivery."
            ),
            Heading("Signatures", 2),
            Paragraph("Signed in Bristol by Margaret Ashby and Daniel Whitlock; witnessed by Helen Marsh, notary."),
        ),
    ),
)

INVOICE = Paper(
    name="invoice",
    title="Invoice 2026-0417",
    author="Brightwater Instruments",
    language="en",
    dated_at=day(2026, 4, 17),
    running="Brightwater Instruments, Leeds",
    pages=(
        (
            Heading("Invoice 2026-0417"),
            Paragraph("Date: 17 April 2026"),
            Paragraph("Brightwater Instruments, 8 Mill Lane, Leeds, to the Institute of Hydrology, attention of Dr Anita Rao."),
            Paragraph("Order HY-5521 of 2 April 2026, delivered on 15 April 2026 by carrier to building C, room 114."),
            Grid(
                (
                    ("Article", "Description", "Quantity", "Unit price", "Amount"),
                    ("PX-200", "Pressure sensor with cable", "12", "84.50", "1014.00"),
                    ("FM-31", "Flow meter, stainless steel", "3", "412.00", "1236.00"),
                    ("DL-8", "Data logger with eight channels", "2", "655.00", "1310.00"),
                    ("CB-10", "Signal cable of ten metres", "14", "9.75", "136.50"),
                    ("CAL", "Calibration with certificate", "5", "60.00", "300.00"),
                )
            ),
            Paragraph("Net amount 3996.50 euros, value added tax of 20 percent 799.30 euros, total 4795.80 euros."),
            Heading("Terms of payment", 2),
            Paragraph(
                "Please pay the total within thirty days, by 17 May 2026, and name the number of the invoice. With payment "
                "before 27 April 2026 you may deduct two percent. The goods remain our property until they are paid in full."
            ),
            Paragraph("Questions about this invoice are answered by Tobias Lindqvist, telephone 0113 496 0718."),
        ),
    ),
)

MINUTES = Paper(
    name="minutes",
    title="Minutes of the Garden Committee",
    author="Priya Raman",
    language="en",
    dated_at=day(2026, 2, 9),
    running="Elm Road Garden Association",
    pages=(
        (
            Heading("Minutes of the Garden Committee"),
            Paragraph("Date: 9 February 2026"),
            Paragraph("Present: Priya Raman (chair), Samuel Okoro, Lucy Fenwick, Tom Barrett. Apologies from Ingrid Holm."),
            Heading("Water supply", 2),
            Paragraph(
                "Samuel reported that the old pump delivers only forty litres a minute. He obtained two offers; the committee"
                " chose the one of Carter Brothers at 1,180 pounds, with installation in the week of 16 March 2026."
            ),
            Heading("Greenhouse", 2),
            Paragraph(
                "Lucy showed the damage that the storm of 24 January did to the greenhouse. Eleven panes are broken. The "
                "insurance pays for nine of them. She will order the glass from Dawson in Reading before the end of the "
                "month."
            ),
            Heading("Decisions", 2),
            Items(
                (
                    "The membership fee rises from 36 to 42 pounds a year from April 2026.",
                    "Plot 17 is given to the Novak family, who waited for two years.",
                    "The open day takes place on Saturday, 13 June 2026, from ten to five.",
                    "Tom Barrett takes over the accounts from Ingrid Holm on 1 March 2026.",
                )
            ),
            Heading("Tasks", 2),
            Grid(
                (
                    ("Task", "Who", "Until"),
                    ("Sign the contract for the pump", "Samuel Okoro", "20 February"),
                    ("Order glass for the greenhouse", "Lucy Fenwick", "28 February"),
                    ("Write to all members about the fee", "Priya Raman", "5 March"),
                )
            ),
            Paragraph("The next meeting is on Monday, 9 March 2026, at seven in the evening in the library."),
        ),
    ),
)

MANUAL = Paper(
    name="manual",
    title="Kestrel 40 Coffee Machine Manual",
    author="Kestrel Appliances",
    language="en",
    dated_at=day(2025, 11, 3),
    running="Kestrel 40, edition 2",
    pages=(
        (
            Heading("Kestrel 40 Coffee Machine Manual"),
            Paragraph("Date: 3 November 2025"),
            Paragraph(
                "This manual describes the Kestrel 40 for small offices. It makes up to forty cups a day. Read the chapter "
                "about safety before you connect the machine, and keep the manual near it."
            ),
            Heading("Safety", 1),
            Items(
                (
                    "Connect the machine only to a grounded socket of 230 volts.",
                    "Never open the boiler while the pressure gauge shows more than one bar.",
                    "Children under eight must not use the machine without an adult.",
                )
            ),
            Heading("Technical data", 1),
            Grid(
                (
                    ("Property", "Value"),
                    ("Power", "1450 watts"),
                    ("Water tank", "3.2 litres"),
                    ("Pump pressure", "15 bar"),
                    ("Weight", "11.4 kilograms"),
                    ("Noise", "58 decibels"),
                )
            ),
        ),
        (
            Heading("Installing", 1),
            Heading("Choosing the place", 2),
            Paragraph(
                "Put the machine on a firm, level surface at least ten centimetres from the wall. The room must be between 5 "
                "and 35 degrees. Do not put it above a heater or beside a sink."
            ),
            Heading("First start", 2),
            Paragraph(
                "Fill the tank with cold water up to the upper mark. Press the green button for three seconds until the lamp "
                "blinks. The machine rinses itself for ninety seconds. Throw the first two cups away."
            ),
            Heading("Setting the hardness of the water", 2),
            Paragraph(
                "Dip the test strip into the water for one second and count the red squares. Set the dial inside the door to "
                "the same number. The machine arrives with the dial on three."
            ),
        ),
        (
            Heading("Cleaning", 1),
            Heading("Every day", 2),
            Paragraph(
                "Empty the drip tray and the box for grounds. Wipe the steam nozzle with a damp cloth while it is still warm."
            ),
            Heading("Every month", 2),
            Paragraph(
                "Descale the machine with one sachet of KD-7 in a litre of water. Descaling takes twenty-five minutes and "
                "cannot be interrupted. The counter in the menu shows when it was last done."
            ),
            Heading("Faults", 1),
            Grid(
                (
                    ("Code", "Meaning", "What to do"),
                    ("E1", "The tank is empty", "Fill the tank"),
                    ("E4", "The brewing unit is stuck", "Take it out, rinse it, put it back"),
                    ("E7", "The boiler is too hot", "Switch off and wait for thirty minutes"),
                )
            ),
            Paragraph("For spare parts write to Kestrel Appliances, 14 Foundry Road, Sheffield, or call 0114 496 0355."),
        ),
    ),
)

REPORT = Paper(
    name="report",
    title="River Quality Report for the Second Quarter",
    author="Anita Rao",
    language="en",
    dated_at=day(2026, 7, 6),
    running="Institute of Hydrology, report 26/2",
    pages=(
        (
            Heading("River Quality Report for the Second Quarter"),
            Paragraph("Date: 6 July 2026"),
            Paragraph(
                "From April to June 2026 the institute measured the quality of the water at nine stations along the river "
                "Wharfe. The team of Dr Anita Rao took 432 samples, of which 417 could be used. Fifteen samples were lost "
                "when the cooling failed on 19 May."
            ),
            Heading("Nitrate", 2),
            Paragraph(
                "The mean of nitrate was 6.8 milligrams a litre, lower than the 7.4 of the year before. The highest value, "
                "14.2 milligrams, was measured at Otley on 11 April after heavy rain. Fields near the bank had been "
                "fertilised a week earlier."
            ),
            Heading("Oxygen", 2),
            Paragraph(
                "Dissolved oxygen stayed above eight milligrams a litre at all stations but one. Below the weir at Burley it "
                "fell to 5.1 milligrams in the night of 22 June, when the water was warmer than twenty degrees for six hours."
            ),
            Heading("Fish", 2),
            Paragraph(
                "Volunteers led by Conor Brady counted 1,264 trout, a fifth more than in 2025. Grayling were seen again near "
                "Ilkley for the first time since 2019. No dead fish were reported."
            ),
            Heading("Stations", 2),
            Grid(
                (
                    ("Station", "Nitrate", "Oxygen"),
                    ("Otley", "9.1", "8.7"),
                    ("Burley", "7.2", "7.9"),
                    ("Ilkley", "5.4", "9.6"),
                    ("Bolton", "4.8", "10.2"),
                )
            ),
            Heading("What follows", 2),
            Items(
                (
                    "The weir at Burley gets a second sensor for oxygen in August 2026.",
                    "Farmers near Otley are invited to a meeting on 3 September 2026.",
                    "The next report appears on 5 October 2026.",
                )
            ),
        ),
    ),
)

PAPERS = (LEASE, INVOICE, MINUTES, MANUAL, REPORT)
